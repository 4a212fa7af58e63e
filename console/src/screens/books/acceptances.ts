/** Why a Z is booked although it does not add up, by its id. */
export type Acceptances = Readonly<Record<string, string>>
