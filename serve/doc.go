// Package serve puts the planner behind an address: one handler answers plain JSON over
// HTTP, gRPC and gRPC-Web, from the schema in proto/pcd/v1.
//
// [New] takes a [Config] and returns a [Server]; [Server.Handler] can be mounted in a
// program of one's own, [Server.Run] listens and serves until its context ends, and then
// lets what runs finish.
//
// # Load
//
// Plans are computed at once, as many at a time as there are cores. Others wait, in turn
// from every client, in a queue of fixed length; what would wait too long, as predicted
// from requests before, is refused at once with a time to come back. Requests have a
// largest size, a largest team, and a time in which they have to arrive, and answers one in
// which they have to be read. So memory is bounded, whoever asks.
//
// # Safety
//
// A plan that is sent is certified, or it is not sent: see package plan. Nothing in a
// request names a file: the models that it may name are those that ship and those of
// [Config.Models]. Without tokens or TLS a server listens to its own machine only, and
// answers to no other name than localhost.
//
// # Errors
//
// [New] returns a [ConfigError] for what cannot be served. Clients get the codes of the
// schema, with a Refusal that says what is wrong, where, and what helps.
package serve
