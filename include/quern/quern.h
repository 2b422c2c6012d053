// SPDX-License-Identifier: Apache-2.0
#pragma once

// All of the library, for a first program. One that includes what it uses is compiled faster: app.h with
// extract.h for routes, json.h and query.h for what comes in, dump.h for what goes out, sqlite.h and
// sqlite_task.h for SQL, table.h and migration.h for models, collections.h for the server of collections.

#include <quern/answer_stream.h>
#include <quern/app.h>
#include <quern/body_stream.h>
#include <quern/collections.h>
#include <quern/describe.h>
#include <quern/dump.h>
#include <quern/error.h>
#include <quern/extract.h>
#include <quern/json.h>
#include <quern/migration.h>
#include <quern/multipart.h>
#include <quern/query.h>
#include <quern/sqlite.h>
#include <quern/sqlite_task.h>
#include <quern/table.h>
#include <quern/task.h>
