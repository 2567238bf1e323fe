"""Judge policies: repair with oracle files, run the tests in a sandbox, grade by SWE-bench."""
