// Package attributes trains classifiers of what pictures show, age and gender, on pictures and
// labels of one's own. Beside a latent diffusion model they couple its images and judge them.
package attributes
