// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <gtest/gtest.h>

namespace quern::os {
namespace {

TEST(Machine, NamesTheFirstProcessor) {
    EXPECT_EQ(
        processor_model("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: a\nmodel name\t: B\n"),
        "Some CPU @ 2 GHz");
    EXPECT_EQ(processor_model("model name : last line"), "last line");
}

TEST(Machine, AKernelThatNamesNoModelIsNoError) {
    EXPECT_EQ(processor_model(""), "");
    EXPECT_EQ(processor_model("processor\t: 0\nBogoMIPS\t: 50\n"), "");
    EXPECT_EQ(processor_model("model name\t:\n"), "");
    EXPECT_EQ(processor_model("model name"), "");
}

TEST(Machine, ThisOneHasNames) {
    EXPECT_NE(machine().processor, "");
    EXPECT_NE(machine().kernel, "");
}

}  // namespace
}  // namespace quern::os
