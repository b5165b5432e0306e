// Package modelfile opens, saves and describes models: the weights of a network with a
// description that says which network it is, how its numbers are normalised and where
// it comes from.
//
// A model is one safetensors file, whose metadata hold the description as JSON under a
// key of the experiment. The experiment brings the type of the description ([Spec]);
// everything else is the same for all:
//
//	sd, err := modelfile.Open(path)
//	found, err := modelfile.Describe(path, sd, key, &spec)
//	net, err := modelfile.Load(path, spec, sd, nil)
//	err = modelfile.Save(path, key, spec, net.Params(), weights.F16)
//
// What a model is run by is an interface, [Denoiser] or [Conditional]: the networks of
// package nn are one implementation. Whoever has another runtime fills it from the
// parameters of an opened model and puts it in the network's place.
//
// # Safety
//
// Files may come from anywhere. A description is compared with the tensors beside it
// before anything is made from it, so that memory is bounded by the length of the file;
// sizes that tensors do not tell have limits here ([MaxHorizon], [MaxSteps]).
//
// # Errors
//
// A file that is no model is an [Error], which wraps the cause: a
// [weights.FormatError], a [weights.LoadError] that lists the tensors concerned, an
// [nn.ConfigError]. A name that is not in a [Bundle] matches [ErrNoModel].
package modelfile
