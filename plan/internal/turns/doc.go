// Package turns gives robots whose turning is limited ways that they can steer: arcs round what is in their way, or
// straight ways between places where they turn as they stand; and robots that hinder each other one after the other.
// Ways are control points of curves, from rest to rest.
package turns
