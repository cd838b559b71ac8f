import LaminaValues

extension CGColor {
  public static let red = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
  public static let green = CGColor(red: 0, green: 1, blue: 0, alpha: 1)
  public static let blue = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
}
