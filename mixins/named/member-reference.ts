import { type Reader, reference } from "../../core/bulk/readers.ts";
import { statement } from "../../core/sql/statement.ts";
import { requireAssignable } from "../assignees.ts";

const MEMBER = statement(`select a.id from memberships m join accounts a on a.id = m.account_id
  where m.organisation_id = $1 and (a.id = $2::uuid or a.email = lower($3::text)) and ($4::uuid[] is null or true) order by a.id`);

/** A member who can get work, by user id or e-mail address. @param key of the bulk update, named where the member is inactive */
export const memberReference = (key: string): Reader =>
  reference(
    "the user id or e-mail address of an active member",
    () => MEMBER,
    (id) => requireAssignable([id], key),
  );
