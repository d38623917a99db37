import { defineModule } from "../../core/declare/module.ts";

/** Instance administration: who operates the installation, on a host of its own. It works as the owner of the tables. */
export default defineModule({
  key: "instance",
  kind: "core",
  errors: { 422: ["instance_refused"] },
  errorTexts: {
    instance_refused: [
      "The installation refuses the change; `details.reason` says why, in one sentence for the operator.",
      "Correct the request as the sentence says.",
    ],
  },
  tables: [
    "instance_administrators",
    "instance_challenges",
    "instance_keys",
    "instance_sessions",
    "organisation_backups",
    "organisation_restores",
    "organisation_suspensions",
  ],
  tags: { instance: "Administration of the installation, on its own host." },
  parameters: {
    ":administrator_id": "Id of the instance administrator",
    ":organisation_id": "Id of the organisation",
    ":instance_domain_id": "Id of the domain or claim",
    ":instance_key_id": "Id of the key",
    ":instance_job_id": "Id of the job",
    ":instance_backup_id": "Id of the backup",
    ":instance_restore_id": "Id of the restore",
  },
});
