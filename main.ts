import { Ending } from "./operator/ending.ts";

// A signal is heard before anything else is loaded; from its first moment on the service can be stopped in order.
const ending = new Ending();
const { startService } = await import("./cli/start.ts");
await startService(process.argv.slice(2), ending);
