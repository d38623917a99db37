import { defineModule } from "../../core/declare/module.ts";

/** Imports that run as jobs. What is imported, and how, stands with each kind of record (`sheet`). */
export default defineModule({ key: "impex", kind: "core", tables: ["impex_jobs"] });
