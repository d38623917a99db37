import { defineModule } from "../../core/declare/module.ts";

/** Imports that run as jobs. Each kind of record declares its own import (`sheet`). */
export default defineModule({ key: "impex", kind: "core", tables: ["impex_jobs"] });
