// Package pusht runs the experiments on PushT: it trains the policy,
// evaluates the methods of package push cell by cell, and prints the tables beside
// the published ones.
package pusht
