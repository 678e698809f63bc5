/** The process of a module has exited, so its running calls failed. */
export class ModuleExited extends Error {}

/** The process of a module did not respond for so long that it was killed. */
export class ModuleUnresponsive extends Error {}

/** The process exited before it started this call, so a new process can run it. */
export class CallNotStarted extends Error {}

/** An output that cannot be sent to the server. */
export class Unsendable extends Error {}
