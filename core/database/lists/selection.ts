/**
 * Condition of rows that belong to one of the clients a selection shows. The planner sees into the function, so that for one client it asks
 * the selection about that client, and does not read all of it for each row.
 * @param company SQL of the client's id
 * @param slot the sources of the selection
 */
export const ofSelectedCompany = (company: string, slot: string): string =>
  `${company} in (select c from selected_companies(${slot}) c)`;
