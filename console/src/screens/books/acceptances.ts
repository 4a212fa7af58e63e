/** Reasons for booking a Z that does not add up, by its id. */
export type Acceptances = Readonly<Record<string, string>>
