# The few commands a person needs. Everything is built into CARGO_TARGET_DIR, outside of the clone, so that a second
# clone finds the dependencies built.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

export CARGO_TARGET_DIR ?= $(HOME)/.cache/crawlingo/target
# Fewer bytes to write and link; tests do not need more.
export CARGO_INCREMENTAL ?= 0

.PHONY: help setup demo test wheel lint bench docs

help: ## Say what there is
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

setup: ## Install what the build needs and is missing (Debian packages; needs root or sudo)
	@scripts/setup

demo: setup ## Start the demo shop, run the books spider over it, print a table, write demo.jsonl
	@scripts/demo

test: setup ## Run all tests
	@scripts/test

wheel: setup ## Build the Python wheel, optimised, into CARGO_TARGET_DIR/wheels
	@scripts/wheel

lint: ## Format and clippy, warnings as errors; cargo-deny where it is installed
	cargo fmt --all -- --check
	cargo clippy --workspace --all-targets -- -D warnings
	@if command -v cargo-deny >/dev/null; then cargo deny check; else echo "lint: cargo-deny is not installed, licences and advisories were not checked"; fi

bench: setup ## Measure parsing and extraction, with peers in the same run
	@scripts/bench

docs: ## Build the documentation
	cargo doc --workspace --no-deps
