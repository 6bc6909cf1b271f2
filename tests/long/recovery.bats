# The recovery test with two thousand words (docs/explanation/simulation.md), which takes minutes.
load ../cli/common

setup() {
    TESTS=$(realpath "$BATS_TEST_DIRNAME/../../${BUILD:-build}")/tests/unit
    common_setup
}

@test "training recovers the truth at the rate of sampling, at full size" {
    [ -x "$TESTS/test_recovery" ] || skip "the unit tests are not built"
    PSDVEC_TEST_LONG=1 "$TESTS/test_recovery" >table 2>&1 || {
        cat table
        return 1
    }
    grep -q 'slope -0' table
}
