// SPDX-License-Identifier: Apache-2.0

//go:build !modernc

package main

import (
	"fmt"

	_ "github.com/mattn/go-sqlite3"
)

const driver = "sqlite3"
const patient = "_busy_timeout=5000"

func settings(journal, synchronous string) string {
	return fmt.Sprintf("&_journal_mode=%s&_synchronous=%s", journal, synchronous)
}
