// Package queue runs the jobs of package jobs, on River: a queue in a database, which is a
// file of SQLite in the store, or PostgreSQL, which several servers share.
//
// A job is run by a process of its own, the program with the words of the job, so that its
// results are those of the command. The server that runs a job says so in the database every
// few seconds. One that does not say so any more has died, or has lost the database: another
// one, or the same one once it is started again, takes its jobs over. A command goes on from
// what it has left in its folder, its cells or its checkpoint.
//
// Two things keep a job from being done twice. A lock on its folder is held by the server and
// by the command, so that nobody begins it while either of them lives; and its outcome is a
// file, which ends the job whoever finds it. The database says only who tries next.
package queue
