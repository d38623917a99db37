import { defineModule } from "../../core/declare/module.ts";
import { smsResultTexts } from "./key-texts.ts";

/** Text messages, sent through the installation's gateway. */
export default defineModule({ key: "sms", kind: "core", resultTexts: smsResultTexts, tables: ["sms_messages"] });
