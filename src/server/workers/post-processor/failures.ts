/** The process of a module ended by itself, and with it the calls that it had under way. */
export class ModuleEnded extends Error {}

/** The process of a module answered nobody for so long that it was ended. */
export class ModuleSilent extends Error {}

/** The process was gone before it came to this call: another one can take it. */
export class CallNotBegun extends Error {}

/** An output that cannot leave the process of its module. */
export class Unsendable extends Error {}
