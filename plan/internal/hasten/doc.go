// Package hasten lets robots of a certified plan along curves arrive early.
//
// Such a plan takes all of the time that it is given, and robots with short ways creep. They therefore go along the
// same ways as fast as stays certified, and stay at their ends: first all together by one clock, so that those who meet
// meet as they did, and then one after the other. Nothing is repaired: what is not certified is driven slower where
// it fails, or on the old clock until it does not fail any more.
package hasten
