// Package images measures sets of images by the features that networks see in them.
package images
