/** A status that a till reports, as far as it is warned of (`device.status`). */
export type DeviceStatus = { deviceId: string; at: string; completeUntil: string; lastNumber: number | null }
