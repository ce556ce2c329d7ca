//! Faulty datasets do not compile, and say why at the token that is wrong. `TRYBUILD=overwrite` writes the messages anew;
//! read them before they are committed.
//!
//! What is right is compiled and run by the tests in `derive`: with a passing case in here, trybuild would build all
//! dependencies a second time instead of only checking them.

#[test]
fn faulty_datasets_say_what_to_mend() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/fail/*.rs");
}
