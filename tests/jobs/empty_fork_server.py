# SPDX-License-Identifier: MIT
"""The fork server without what it loads in advance, which most of its tests need not."""

from reproduction.workflow.jobs import fork_server

fork_server.LIBRARIES = ()
fork_server.MANY_JOBS = 1000

if __name__ == "__main__":
    fork_server.run_server()
