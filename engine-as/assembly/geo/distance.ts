/** Distances on a sphere, between points in degrees. */

/** In metres. */
export const EARTH_RADIUS: f64 = 6371000;
/** Of a degree. */
export const RADIANS: f64 = Math.PI / 180;

/** Great-circle distance (haversine) in metres, rounded to the millimetre. */
export function distance(lat: f64, lng: f64, otherLat: f64, otherLng: f64): f64 {
  const phi = lat * RADIANS;
  const otherPhi = otherLat * RADIANS;
  const alongLat = Math.sin((otherPhi - phi) / 2);
  const alongLng = Math.sin(((otherLng - lng) * RADIANS) / 2);
  const chord = alongLat * alongLat + Math.cos(phi) * Math.cos(otherPhi) * alongLng * alongLng;
  // Rounding may exceed 1 for antipodes.
  return Math.round(2 * EARTH_RADIUS * Math.asin(Math.sqrt(min(chord, 1))) * 1000) / 1000;
}

/** Half the circumference of the earth, in metres. */
export const HALF_ROUND: f64 = EARTH_RADIUS * Math.PI;

/** Lower bound, in metres, of the distance of points whose latitudes differ by `degrees`. */
export function latitudeDistance(degrees: f64): f64 {
  return degrees * RADIANS * EARTH_RADIUS;
}

/** Degrees of latitude spanned by a distance in metres. */
export function latitudeSpan(metres: f64): f64 {
  return metres / EARTH_RADIUS / RADIANS;
}

/**
 * Degrees of longitude spanned by a distance in metres around a point at a latitude: all of them when a pole is within the
 * distance.
 */
export function longitudeSpan(lat: f64, metres: f64): f64 {
  const angle = metres / EARTH_RADIUS;
  if (Math.abs(lat) * RADIANS + angle >= Math.PI / 2) return 360;
  return Math.asin(min(Math.sin(angle) / Math.cos(lat * RADIANS), 1)) / RADIANS;
}
