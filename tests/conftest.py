"""What all tests stand on."""

import signal

# Who runs them behind nohup or in the background leaves these ignored, for all that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
