// Package pcdv1 is the schema of the service, generated from proto/pcd/v1.
package pcdv1

//go:generate go -C gen run . -proto ../../../../proto -out ../../../.. pcd/v1/plan.proto pcd/v1/session.proto pcd/v1/job.proto pcd/v1/judge.proto pcd/v1/policy.proto
