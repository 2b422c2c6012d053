// SPDX-License-Identifier: Apache-2.0
#include "api/row_writer.h"

#include <vector>

namespace quern::api {

namespace {

std::vector<RecordColumn> columns_of(query::Prepared const& prepared,
                                     query::FieldSelection const& selection) {
    std::vector<RecordColumn> columns;
    for (std::uint16_t const field : prepared.fields) {
        std::string const& name = prepared.collection->fields[field].name;
        RecordColumn column{.field = field, .shown = selection.shows(name)};
        if (auto const* node = selection.find(name); node != nullptr && node->excerpt) {
            column.excerpt_chars = node->excerpt->characters_max;
            column.excerpt_ellipsis = node->excerpt->with_ellipsis;
        }
        columns.push_back(column);
    }
    // Behind the fields: the version, sort values and keys, read for other purposes.
    RecordColumn const unseen{.field = Collection::version_field, .shown = false};
    columns.resize(prepared.plan->output.size(), unseen);
    return columns;
}

}  // namespace

RowWriter::RowWriter(query::Prepared const& prepared, query::FieldSelection const& selection, bool superuser)
    : collection_(prepared.collection),
      writer_(*prepared.collection, columns_of(prepared, selection),
              {.superuser = superuser,
               .collection_id = selection.shows("collectionId"),
               .collection_name = selection.shows("collectionName")}),
      is_auth_(prepared.collection->type == CollectionType::auth),
      id_column_(prepared.column_of(0)) {
    if (auto const visibility = collection_->find("emailVisibility")) {
        visibility_column_ = prepared.column_of(*visibility);
    }
}

bool RowWriter::shows_email(std::span<Value const> row, Principal const& principal) const {
    if (principal.superuser) return true;
    if (visibility_column_ && row[*visibility_column_].kind == ValueKind::integer &&
        row[*visibility_column_].integer != 0) {
        return true;
    }
    return principal.collection == collection_ && id_column_ && row[*id_column_].text == principal.id;
}

}  // namespace quern::api
