import type { Step } from "../step.ts";

/**
 * Messages that a mailbox brought: which one of the owner's mailbox a contact moment is, its Message-ID in a form that is the same in every
 * mailbox, and whether its body is still to be read.
 */
const step: Step = {
  async up({ sql, application }) {
    await sql(`
      create function message_key(header text) returns text language sql immutable strict parallel safe as $$
        select nullif(case when position('@' in bare) = 0 then bare
            else regexp_replace(bare, '@[^@]*$', '') || lower(substring(bare from '@[^@]*$')) end, '')
          from (select btrim(header, E' \\t\\r\\n<>') as bare) b $$;
      comment on function message_key is 'A Message-ID without angle brackets and with its domain in lower case: equal for the same message in two mailboxes';
      grant execute on function message_key(text) to ${application};

      alter table interactions
        -- The id of the message in the mailbox of the row's owner; null for what came from no mailbox.
        add column mail_message_id text,
        add column message_key text,
        -- Whether the body is still to be read from the mailbox, and when that was tried last.
        add column body_awaited boolean not null default false,
        add column body_tried_at timestamptz;

      -- Also for rows that nodes of the version before this one write.
      create function interactions_keyed() returns trigger language plpgsql as $$
      begin
        new.message_key := message_key(new.message_id);
        return new;
      end $$;
      create trigger keyed before insert or update of message_id on interactions for each row execute function interactions_keyed();
      alter table interactions enable always trigger keyed;
      update interactions set message_key = message_key(message_id) where message_id is not null;

      create index interactions_of_message_key on interactions (organisation_id, message_key) where message_key is not null;
      create unique index interactions_of_mailbox on interactions (organisation_id, owner_account_id, mail_message_id)
        where mail_message_id is not null;
      create index interactions_bodies on interactions (organisation_id, body_tried_at, id) where body_awaited and status = 'logged';
    `);
  },
};

export default step;
