import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";
import { outsideProofs } from "./delivery/proofs-outside.ts";

/** Fixtures for notifications. Only tests load them. */
const proofs: DefineProofs = (tools) => {
  const { make } = tools;
  const outside = outsideProofs(tools);
  /** An inbox row of the organisation's owner, who makes the calls. */
  const notification = async (place: Place): Promise<string> => {
    const entity_id = await make("task_id", place);
    const { rows } = await place.sql.query(
      `with made as (insert into notification_events (id, organisation_id, event_type, entity_type, entity_id, payload)
         values (gen_random_uuid(), $1, 'task.overdue', 'task', $2, jsonb_build_object('title', $3::text)) returning id)
       insert into notifications (organisation_id, account_id, event_id, event_type, entity_type, entity_id, visible_at)
       select $1, $4, id, 'task.overdue', 'task', $2, now() from made returning id`,
      [place.tenant.organisation.id, entity_id, place.token, place.tenant.owner.accountId],
    );
    return rows[0].id;
  };

  return {
    makers: {
      ...outside.makers,
      notification_id: { ofCompany: false, make: notification },
      // A shared room for the organisation's preferences, a personal channel for one's own.
      "/notifications/preferences/defaults channel_config_id": { ofCompany: false, make: (place) => outside.channel(place) },
      channel_config_id: { ofCompany: false, make: (place) => outside.channel(place, place.tenant.owner.accountId) },
    },
    values: {
      ...outside.values,
      event_type: () => "task.overdue",
      digest: () => "daily",
      digest_time: () => "08:30",
      quiet_hours_start: () => "22:00",
      quiet_hours_end: () => "06:30",
      "/notifications/preferences email": () => ({ digest_time: "07:30", digest_weekday: 2 }),
    },
    ...(outside.personal && { personal: outside.personal }),
    fixedLists: {
      "GET /notifications/activity": "events of one record, as many as were recorded about it",
    },
  };
};
export default proofs;
