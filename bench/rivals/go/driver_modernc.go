// SPDX-License-Identifier: Apache-2.0

//go:build modernc

package main

import (
	"fmt"

	_ "modernc.org/sqlite"
)

const driver = "sqlite"
const patient = "_pragma=busy_timeout(5000)"

func settings(journal, synchronous string) string {
	return fmt.Sprintf("&_pragma=journal_mode(%s)&_pragma=synchronous(%s)", journal, synchronous)
}
