/** The parts of a till's status (`device.status`) that warnings need. */
export type DeviceStatus = { deviceId: string; at: string; completeUntil: string; lastNumber: number | null }
