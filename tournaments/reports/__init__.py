"""Records and results made readable: drawings, exports, figures."""
