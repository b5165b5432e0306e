// Package pcd samples jointly from several pretrained diffusion models so that
// the samples are correlated and obey hard constraints that are given only now,
// without retraining any model: Projected Coupled Diffusion.
//
// For two variables X and Y with scores s_x and s_y, a coupling cost c of
// strength γ and constraint sets K_x and K_y, one step of Langevin dynamics of
// size δ is
//
//	X ← Π_Kx( X - γ δ ∇x c(X, Y) + δ s_x(X, t) + ε_x ),   ε_x ~ N(0, 2δ I)
//	Y ← Π_Ky( Y - γ δ ∇y c(X, Y) + δ s_y(Y, t) + ε_y )
//
// and a DDPM step is treated alike. Both gradients are taken at the same state
// before either variable moves.
//
// # A problem
//
// A [Problem] lists the [Variable] values (a model, a constraint set, given
// values), the [Coupling] values between them (a cost and where, when and how
// strongly its gradient acts), the [Dynamics] ([LMC], [DDPM] or [DDIM]) and the [Cadence]
// of projections. [Sample] runs it and returns a [Result]: samples, status,
// statistics and a [Certificate]. Any number of variables may differ in shape and
// model; tuple k consists of sample k of each.
//
// The cases of the paper are configurations:
//
//   - projected diffusion: no coupling;
//   - coupled diffusion: no projector;
//   - classifier guidance: a second variable without a model, or projected on a
//     single point, and the cost -ln p(y|x);
//   - compositional diffusion: a cost that is a difference of energies;
//   - joint diffusion with a discriminator: the cost -ln D/(1-D);
//   - posterior sampling (DPS): [Coupling.At] = [AtEstimate], where the gradient
//     is taken at the clean-sample estimate and pulled back through the model.
//
// Where a coupling acts, how its gradient is scaled, clipped and windowed are fields
// of [Coupling]. The published variants of the experiments are named settings of the
// package that builds their problems: plan, for navigation.
//
// # Rooms
//
// The other packages, from the ground up; go doc of each says more.
//
//	tensor, noise, geom          batches of samples; numbers with an address; plane geometry
//	schedule, denoise            noise schedules; what a model is, guidance
//	denoise/analytic             models with a score in closed form
//	cost, project                coupling costs; constraint sets with certified projections
//	project/separation           robots kept apart in continuous time
//	lawtest                      conformance suites for models, costs and sets of your own
//	nn, weights                  networks; weight files
//	dataset, train, modelfile    arrays and recordings; training; models as files
//	env/nav2d                    worlds of robots in the plane: maps, scenes
//	plan                         teams of robots: a task made a Problem, its samples a plan
//	plan/route                   paths of disks that move at the same time, without a model
//	plan/session                 plans for a team that is on its way, again and again
//	policy                       policies of robots that others trained, run within limits
//	latent                       images from folders of models, drawn alone or together
//	plan/bundled                 the models of robots that ship, for programs that import it
//	serve                        plans over HTTP and gRPC
//
// What only the program needs is under internal: the published experiments (experiment),
// their measures (metric), PushT (push), pairs of images (pair), figures and pages
// (render), requests made results (planner).
//
// # Promises
//
// Samples do not depend on the number of goroutines, on the batch size or on
// which shard computes them: noise is addressed (package noise). Constraints are
// judged in the stored float32 by the set, not by the projector, and only then
// called certified. Problems are checked in full before any compute, and
// [ProblemError] lists everything that is wrong. When the context is cancelled,
// Sample returns what it has with [Interrupted].
package pcd
