import type { Step } from "../step.ts";

/**
 * Each contact moment knows whether it is the newest logged one of its conversation, so that the list neither looks for a newer one nor
 * sorts all conversations to count them. A waiting message leads alone: it joins its conversation only when approved. A trigger
 * maintains the flag for every kind of write; a moved flag does not change the moment, so its version stays.
 */
const step: Step = {
  async up({ sql }) {
    await sql(`
      alter table interactions add column leads boolean not null default true;
      comment on column interactions.leads is 'The newest logged moment of its conversation, or a waiting one';

      drop trigger change_counted on interactions;
      create trigger change_counted before update on interactions for each row
        when (new.version = old.version and new.leads = old.leads) execute function count_change_of_row();

      -- One transaction at a time brings a conversation up to date, and the second of two looks after the first has committed.
      create function fold_conversation(organisation uuid, conversation uuid) returns void language sql as $$
        select pg_advisory_xact_lock(hashtextextended(conversation::text, 0)) where exists (select 1 from interactions i
          where i.organisation_id = organisation and i.conversation_id = conversation offset 1);
        with newest as (select i.id from interactions i
          where i.organisation_id = organisation and i.conversation_id = conversation and i.status = 'logged'
          order by i.occurred_at desc, i.id desc limit 1)
        update interactions i set leads = (i.status <> 'logged' or i.id = newest.id) from (select (select id from newest) as id) newest
         where i.organisation_id = organisation and i.conversation_id = conversation
           and i.leads is distinct from (i.status <> 'logged' or i.id = newest.id)
      $$;
      comment on function fold_conversation is 'Brings up to date which moment of a conversation is its newest';

      create function interaction_moved() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' or tg_op = 'UPDATE' and old.conversation_id <> new.conversation_id then
          perform fold_conversation(old.organisation_id, old.conversation_id);
        end if;
        if tg_op <> 'DELETE' then
          perform fold_conversation(new.organisation_id, new.conversation_id);
        end if;
        return null;
      end $$;
      create trigger folded after insert or delete or update of conversation_id, occurred_at, status on interactions
        for each row execute function interaction_moved();

      update interactions t set leads = false where t.status = 'logged' and exists (select 1 from interactions n
        where n.organisation_id = t.organisation_id and n.conversation_id = t.conversation_id and n.status = 'logged'
          and (n.occurred_at, n.id) > (t.occurred_at, t.id));

      create index interactions_leading on interactions (organisation_id, occurred_at desc, id) include (status, owner_account_id) where leads;
      create index interactions_leading_by_subject on interactions
        (organisation_id, subject collate kantoor_text, occurred_at desc, id) where leads;
      create index interactions_leading_by_subject_down on interactions
        (organisation_id, subject collate kantoor_text desc nulls last, occurred_at desc, id) where leads;
      create index interactions_leading_of_owner on interactions (organisation_id, owner_account_id, occurred_at desc, id) where leads;
      create index interactions_leading_by_kind on interactions (organisation_id, kind, occurred_at desc, id) where leads;
      create index interactions_leading_by_kind_down on interactions (organisation_id, kind desc, occurred_at desc, id) where leads;
    `);
  },
};

export default step;
