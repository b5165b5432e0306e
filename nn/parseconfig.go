package nn

// ParseConfig reads the config.json of a network of a published folder. It returns a
// [ConfigError] for what is missing, contradicts itself or asks for a network of another
// kind.
func ParseConfig[C AutoencoderConfig | AutoencoderTinyConfig | CLIPTextConfig | CLIPVisionConfig | ControlNetXSConfig | UNet2DConfig](raw []byte) (c C, err error) {
	switch c := any(&c).(type) {
	case *AutoencoderConfig:
		*c, err = parseAutoencoder(raw)
	case *AutoencoderTinyConfig:
		*c, err = parseAutoencoderTiny(raw)
	case *CLIPTextConfig:
		*c, err = parseCLIPText(raw)
	case *CLIPVisionConfig:
		*c, err = parseCLIPVision(raw)
	case *ControlNetXSConfig:
		*c, err = parseControlNetXS(raw)
	case *UNet2DConfig:
		*c, err = parseUNet2D(raw)
	}
	return c, err
}
