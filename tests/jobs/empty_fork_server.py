# SPDX-License-Identifier: MIT
"""The fork server without what it loads in advance, and for jobs with less memory."""

from reproduction.workflow.jobs import fork_server

fork_server.LIBRARIES = ()
fork_server.MANY_JOBS = 1000
fork_server.KEPT_MEMORY //= 8

if __name__ == "__main__":
    fork_server.run_server()
