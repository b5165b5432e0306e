// Package gate lets requests to the processors: as many at a time as there are cores, in
// turn from every client, and no more waiting than a queue of fixed length holds. Whoever
// would wait too long is told so at once, with the time after which asking again makes
// sense.
package gate
