//go:build race

package kinds_test

// manyRuns is fewer here: the race detector ends a program of more than 8128 goroutines.
const manyRuns = 2000
