import { defineModule } from "../../core/declare/module.ts";

/** Text messages, handed to the gateway of the installation. */
export default defineModule({ key: "sms", kind: "core", tables: ["sms_messages"] });
