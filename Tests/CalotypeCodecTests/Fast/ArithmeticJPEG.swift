import FoundationEssentials

/// A JPEG of 40 by 32 pixels in arithmetic codes (ITU-T T.81, annex D): a gradient, written by libjpeg-turbo's cjpeg.
enum ArithmeticJPEG {
    static let bytes = Data(base64Encoded: text).map(Array.init) ?? []

    private static let text =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEY"
        + "Gh0dHx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e"
        + "Hh4eHh4eHh4eHh4eHh7/yQARCAAgACgDASIAAhEBAxEB/8wACgAQEAUBEBEF/9oADAMBAAIRAxEAPwD/ANcWv53n91M1/PTO"
        + "LF5aqFeBFEfatjIn5QBgxwN201PDigkWSndQykz7kvbGtR2SzZzfaPKMlj+hCETyfmXsPwS3ZGuBrDq4X/eBeLYwYCjablUt"
        + "WxDxDbDyDvxEhrzN7BAhNkRwZnzQ5eYaj2yD3JYetbyz9PyI/9k="
}
