//go:build !race

package kinds_test

// manyRuns is how many runs go on at a time.
const manyRuns = 10_000
