// Package manifest is the record of a run, and the folder that its files go to.
//
// A [Manifest] says what was asked for, on which inputs, how far the run came and which
// files it wrote, with their digests. It lies beside these files as [FileName].
//
// A [Folder] receives the files of a run in one of two ways:
//
//   - Files that belong together are made in a folder beside their places with
//     [Folder.Add] and take them together with [Folder.Deliver].
//   - Files that grow, such as the checkpoint of a training, are written in place between
//     [Folder.Begin] and [Folder.End]: the manifest says that they are being written.
//
// Delivery is a journal. First everything is made and digested, then the manifest is
// replaced by one of the status [Delivering] that says which files are to come and where
// they wait, then files take their places, and last the finished manifest does. A program
// that is killed before the first of these renames leaves the old files, one that is
// killed later a folder that says so: the next run in it, or [Finish], goes on. Nothing
// is written between the renames: no disk can be too full for them.
//
// What a folder holds belongs to the user, but for the files of an earlier run of the same
// command that are as that run wrote them. Those are replaced, or removed when this run
// has no such file. Anything else stays: in the place of a new file it gets another name,
// as GNU programs name backups. A file that may not be written counts as the user's.
// Runs of several commands can share a folder: the manifest of the last one holds those of
// the others.
//
// Programs that deliver to one folder at once wait for each other. [Verify] compares a
// folder with its manifests.
package manifest
