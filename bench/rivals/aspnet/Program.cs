// SPDX-License-Identifier: Apache-2.0
// ASP.NET Core's minimal API and Microsoft.Data.Sqlite. A command belongs to one thread at a time, so each
// thread of the pool keeps a connection for reads; writes take turns at one connection.
using Microsoft.Data.Sqlite;

string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

const string Find = "SELECT id, name, email, visits FROM users WHERE id = $id";
const string Increment =
    "UPDATE users SET visits = visits + 1 WHERE id = $id RETURNING id, name, email, visits";

var file = new SqliteConnectionStringBuilder { DataSource = Setting("DATABASE", ""), Pooling = false };

SqliteConnection Open()
{
    var db = new SqliteConnection(file.ToString());
    db.Open();
    return db;
}

SqliteConnection Configured()
{
    var db = Open();
    using var pragmas = db.CreateCommand();
    pragmas.CommandText = $"PRAGMA journal_mode = {Setting("JOURNAL", "wal")};"
        + $"PRAGMA synchronous = {Setting("SYNCHRONOUS", "full")}";
    pragmas.ExecuteNonQuery();
    return db;
}

SqliteCommand Prepared(SqliteConnection db, string text)
{
    var command = db.CreateCommand();
    command.CommandText = text;
    command.Parameters.Add("$id", SqliteType.Integer);
    command.Prepare();
    return command;
}

User? One(SqliteCommand command, long id)
{
    command.Parameters[0].Value = id;
    using var row = command.ExecuteReader();
    return row.Read() ? new User(row.GetInt64(0), row.GetString(1), row.GetString(2), row.GetInt64(3)) : null;
}

IResult Answer(User? user) =>
    user is null ? Results.Json(new { error = "not found" }, statusCode: 404) : Results.Ok(user);

var writer = Configured();
var increment = Prepared(writer, Increment);
var turn = new Lock();
var find = new ThreadLocal<SqliteCommand>(() => Prepared(Configured(), Find));

var builder = WebApplication.CreateSlimBuilder(args);
builder.Logging.ClearProviders();
builder.WebHost.UseUrls($"http://127.0.0.1:{Setting("PORT", "")}");
var app = builder.Build();

app.MapGet("/plaintext", () => "Hello, World!");

app.MapGet("/cold/{id:long}", (long id) =>
{
    using var db = Open();
    using var command = Prepared(db, Find);
    return Answer(One(command, id));
});

app.MapGet("/hot/{id:long}", (long id) => Answer(One(find.Value!, id)));

app.MapPost("/increment/{id:long}", (long id) =>
{
    lock (turn)
    {
        using var transaction = writer.BeginTransaction();
        increment.Transaction = transaction;
        var user = One(increment, id);
        transaction.Commit();
        return Answer(user);
    }
});

app.Run();

record User(long Id, string Name, string Email, long Visits);
