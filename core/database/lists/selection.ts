/**
 * Condition for rows of a client that the selection includes. The planner inlines the function, so it checks a single client against the
 * selection instead of reading the whole selection for each row.
 * @param company SQL of the client's id
 * @param slot the sources of the selection
 */
export const ofSelectedCompany = (company: string, slot: string): string =>
  `${company} in (select c from selected_companies(${slot}) c)`;
