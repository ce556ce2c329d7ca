//! Faulty datasets do not compile, and say why at the token that is wrong. `TRYBUILD=overwrite` writes the messages anew;
//! read them before they are committed.

#[test]
fn faulty_datasets_say_what_to_mend() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/ui/fail/*.rs");
    tests.pass("tests/ui/pass/*.rs");
}
