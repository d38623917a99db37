import { defineModule } from "../../core/declare/module.ts";

/** Text messages, sent through the installation's gateway. */
export default defineModule({ key: "sms", kind: "core", tables: ["sms_messages"] });
