import { defineModule } from "../../core/declare/module.ts";

/** Statements of the organisation's bank accounts, and what their entries pay. */
export default defineModule({ key: "banking", kind: "core" });
