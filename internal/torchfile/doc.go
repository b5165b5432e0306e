// Package torchfile finds the tensors in files that PyTorch's torch.save wrote,
// without running anything that the file describes.
//
// Such a file is a zip archive: data.pkl holds a pickle that describes nested
// dictionaries of tensors, data/0, data/1, … hold the bytes of their storages.
// [Parse] reads the description; the bytes of a storage are checked when they
// are first asked for, and never copied.
//
// # What is refused
//
// A pickle may import any name and call it. Three names have a meaning here,
// collections.OrderedDict, torch._utils._rebuild_tensor_v2 and
// torch._utils._rebuild_parameter, and the storage classes of torch. A file that
// imports another one is refused with a [GlobalError] that lists the names,
// except where the names belong to parts that are not read: see [Options] and
// the layout of training checkpoints in [Parse]. Compressed entries, which
// torch.save never writes, are refused, so the memory needed is bounded by the
// length of the file.
package torchfile
