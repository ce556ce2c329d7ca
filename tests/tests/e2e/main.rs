//! End to end: the real transport against real servers on loopback.
