import { defineModule } from "../../core/declare/module.ts";

/** Outgoing mail: how an organisation sends it and which words it uses. */
export default defineModule({
  key: "mail",
  kind: "core",
  permissions: { "settings.email.manage": { position: 110, grants: ["admin"] } },
  errors: { 409: ["conflict errors.instance_email_unavailable"] },
  tags: { settings: "Settings of the organisation." },
});
