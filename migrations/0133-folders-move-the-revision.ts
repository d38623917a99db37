import type { Step } from "./step.ts";

/** Every new client reads whether the workspace creates folders for new records: nodes cache it by the access revision. */
const step: Step = {
  async up({ sql }) {
    await sql(`
      create trigger access_changed after insert or delete or update of drive_enabled, drive_auto_provision, automation_connection_user_id,
          drive_parent_folder_id, drive_shared_drive_id on workspace_settings
        for each row execute function bump_access_of_row();
    `);
  },
};

export default step;
